# Completion of stfm-submit for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-submit '@files' '
-J --job-name      -
--description      -
--tag              @tags
--spec          @files
--from             @files
--zip           @typed
--except           @typed
--when             @typed
--samples          -
--seed             -
--search
--sampler          random|quasi|tpe
--guess            @typed
--from-results     @jobs
--until            -
--gpu-hours        -
--pbt              -
--pruner           asha|hyperband|median|none
--args             long|space|hydra|none|positional
--parallel         -
--pack             -
--metric           @metrics
--goal             min|max
--metrics          -
--metrics-regex    -
--epochs           @typed
--max-tasks        -
--store            @dirs
--dry-run
--parsable
-Q --quiet
--no-check
--snapshot         -
--no-snapshot
--queue-rest       @jobs
--sync
--new-code
--old-code
-y --yes
--container        @files
--container-runtime apptainer|singularity|pyxis|slurm
--container-bind   @files
--dist             tensorflow|torch|horovod,mpi|mxnet|jax
--after            @jobs
--then             @commands
--requeue
--signal-before    -
--signal           USR1|USR2|TERM|INT|HUP|QUIT
--max-fail         -
--canary
--retry-oom        -
--retry-time       -
--avoid-bad-nodes
--usage            no|10|30|60
-h
--help        points|search|script|slurm|results|failures|job|all
-V --version
. -p --partition  @partitions
. -D --chdir  @dirs
@sbatch
'
