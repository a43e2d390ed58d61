import noJobs from './0023_bulk_jobs.ts'

export default noJobs
