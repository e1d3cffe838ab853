{"v":1,"fact":"6h09bg6sgxp3k/000001.0.0.S","slurm":"2_1","node":"n1","log":"/srv/stfm/store/jobs/waits/log/2_1.log","time":1795374855,"c":"0a299944"}
