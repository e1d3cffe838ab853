# For Spack 1.0 and newer; from the directory of the source:
#   spack repo add .packaging/spack/spack_repo/stfm
#   spack dev-build stfm@main
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Stfm(MakefilePackage):
    """Train neural networks under Slurm, from the shell: expand a grid of
    hyperparameters, queue one task for each combination, follow, draw, stop,
    restart and compare them."""

    homepage = "https://stfm.example.org/"
    git = "https://stfm.example.org/stfm.git"

    license("GPL-2.0-or-later")

    version("main", branch="main")

    variant("slurm", default=True, description="Ask Slurm through libslurm")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("libcsv")
    depends_on("slurm@20-11:", when="+slurm")

    @property
    def build_targets(self):
        return self._words()

    @property
    def install_targets(self):
        return self._words() + ["install-strip"]

    def _words(self):
        # Spack's libraries are shared: the nodes see them at the same place.
        words = [f"prefix={self.prefix}", "STATIC="]
        words.append("SLURM=library" if "+slurm" in self.spec else "SLURM=text")
        return words
