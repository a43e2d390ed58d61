import { type ChildProcess, spawn } from 'node:child_process'

/** The search path for system tools. The caller's PATH is not used, because the tools may run as root. */
const toolPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin'

/**
 * Returns environment variables for PostgreSQL and system tools. Omits the server's variables, because they may contain
 * secrets, and because its PG* variables may refer to another database.
 */
export function cleanEnvironment(libraryPath?: string): NodeJS.ProcessEnv {
  return { PATH: toolPath, LC_ALL: 'C', ...(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath }) }
}

export interface Finished {
  /** Null if a signal ended the program, or if the program could not be started (`failure`). */
  readonly code: number | null
  /** The combined output of stdout and stderr, in the order of arrival. */
  readonly output: string
  /** The error, for example with the code ENOENT, if the program could not be started. */
  readonly failure?: Error
}

interface CommandOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  /** A file descriptor that the command receives as its descriptor 3. */
  readonly lockFd?: number | undefined
}

/**
 * Runs a command. Resolves when the command ends or if it cannot be started, and never rejects. The command runs in a
 * separate session, so Ctrl-C in the terminal reaches only the server.
 */
export function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const [program = '', ...args] = command
    let child: ChildProcess
    try {
      child = spawn(program, args, {
        cwd: options.cwd,
        env: options.env ?? cleanEnvironment(),
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe', options.lockFd ?? 'ignore'],
      })
    } catch (error) {
      resolve({ code: null, output: '', failure: error instanceof Error ? error : new Error(String(error)) })
      return
    }
    let output = ''
    const collect = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    // EPIPE means that the command ended before it read its input. Its exit code shows whether it succeeded.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
    child.on('error', (failure) => resolve({ code: null, output, failure }))
    child.on('close', (code) => resolve({ code, output: output.trim() }))
  })
}
