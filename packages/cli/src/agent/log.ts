/** Writes one line per event. Details must not contain secrets. */
export interface Log {
  info(message: string, details?: Details): void
  warn(message: string, details?: Details): void
  error(message: string, details?: Details): void
}

type Details = Readonly<Record<string, string | number | undefined>>

interface LogOptions {
  json: boolean
  /**
   * Whether the lines go to the systemd journal, which adds the time and reads the level from a numeric prefix
   * (sd-daemon(3)).
   */
  journal: boolean
}

const priorities = { info: 6, warn: 4, error: 3 } as const

type Level = keyof typeof priorities

export function createLog({ json, journal }: LogOptions, write = (line: string) => console.log(line)): Log {
  const log = (level: Level, message: string, details: Details = {}): void => {
    if (json) write(JSON.stringify({ time: new Date().toISOString(), level, message, ...details }))
    else write(`${prefixOf(level, journal)}${message}${formatDetails(details)}`)
  }
  return {
    info: (message, details) => log('info', message, details),
    warn: (message, details) => log('warn', message, details),
    error: (message, details) => log('error', message, details),
  }
}

const prefixOf = (level: Level, journal: boolean): string =>
  journal ? `<${priorities[level]}>` : `${new Date().toISOString()} ${level.padEnd(5)} `

/** Quotes values that are empty or have unusual characters, so that untrusted input cannot forge additional details. */
function formatDetails(details: Details): string {
  return Object.entries(details)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${/^[\w.:/@%$+-]+$/.test(String(value)) ? value : JSON.stringify(value)}`)
    .join('')
}
