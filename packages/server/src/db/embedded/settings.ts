import { totalmem } from 'node:os'

const MiB = 1024 * 1024

const clamp = (value: number, low: number, high: number): number => Math.round(Math.min(Math.max(value, low), high))

function availableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** Returns PostgreSQL's settings. The sizes assume that the database shares the machine with the server. */
export function settings(memory = availableMemory()): Record<string, string> {
  const mib = memory / MiB
  return {
    listen_addresses: '',
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    port: '5432',

    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // WAL written at the level `minimal` while archiving is off would make the archive unusable.
    wal_level: 'replica',
    // The embedded database has no network access, so no standby can connect.
    max_wal_senders: '0',

    max_connections: '100',
    shared_buffers: `${clamp(mib / 8, 32, 4096)}MB`,
    effective_cache_size: `${clamp(mib / 2, 128, 1024 * 1024)}MB`,
    work_mem: `${clamp(mib / 512, 4, 32)}MB`,
    maintenance_work_mem: `${clamp(mib / 32, 32, 512)}MB`,
    random_page_cost: '1.1',
    jit: 'off',
    // Parallel hash tables use /dev/shm, which by default is limited to 64 MiB in a container.
    enable_parallel_hash: 'off',
    max_logical_replication_workers: '0',

    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_checkpoints: 'off',
    // Statements and the DETAIL of errors may contain users' data, so PostgreSQL logs neither.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
  }
}

export const settingArguments = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])

const RETAINED_BYTES = 4 * MiB

/**
 * Makes each PostgreSQL process keep up to 4 MiB of freed memory. By default, glibc returns the memory of each
 * statement to the kernel, and page faults can then take half of the next statement's time.
 */
export const memoryEnvironment = {
  MALLOC_MMAP_THRESHOLD_: String(RETAINED_BYTES),
  MALLOC_TRIM_THRESHOLD_: String(RETAINED_BYTES),
}
