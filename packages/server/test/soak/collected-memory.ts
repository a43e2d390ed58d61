// The server's process preloads this module. On request, the module collects garbage and returns the memory that
// remains in use.
import { dlopen } from 'node:ffi'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** Memory of the server's process just after a garbage collection, in bytes. */
export interface CollectedMemory {
  /** The memory that JavaScript objects, buffers, and native code use. */
  live: number
  /** Resident memory without the pages of files, which the system loads and drops as needed. */
  resident: number
}

const { SOAK_MEMORY_PORT: port, MUSTER_DATA: folder } = process.env
if (port !== undefined) serve(Number(port), `${folder}/malloc.xml`)

function serve(onPort: number, file: string): void {
  const { functions: libc } = dlopen('libc.so.6', {
    fopen: { arguments: ['string', 'string'], return: 'pointer' },
    fclose: { arguments: ['pointer'], return: 'i32' },
    malloc_info: { arguments: ['i32', 'pointer'], return: 'i32' },
    malloc_trim: { arguments: ['u64'], return: 'i32' },
  })
  const server = createServer((_, response) => {
    // This flavor also compacts the heap and returns its free pages to the system, as V8 does when memory runs out.
    globalThis.gc!({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    const stream = libc.fopen!(file, 'w')
    libc.malloc_info!(0, stream)
    libc.fclose!(stream)
    // Return the free pages of malloc to the system. Otherwise, the resident memory would depend on earlier peaks.
    libc.malloc_trim!(0n)
    const live = process.memoryUsage().heapUsed + mallocUsed(readFileSync(file, 'utf8'))
    response.end(JSON.stringify({ live, resident: residentBytes() } satisfies CollectedMemory))
  })
  server.listen(onPort, '127.0.0.1').unref()
}

/** Returns the number of bytes that malloc has in use, from the totals at the end of the output of malloc_info(3). */
function mallocUsed(info: string): number {
  const total = info.slice(info.lastIndexOf('</heap>'))
  const sizeOf = (type: string): number => Number(new RegExp(`type="${type}" [^>]*size="(\\d+)"`).exec(total)![1])
  return (
    sizeOf('mmap') + Number(/<system type="current" size="(\d+)"/.exec(total)![1]) - sizeOf('fast') - sizeOf('rest')
  )
}

/** RssAnon is in KiB, although the file gives its unit as `kB` (proc(5)). */
const residentBytes = (): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1_024
