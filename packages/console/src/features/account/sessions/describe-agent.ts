const browsers: [name: string, pattern: RegExp][] = [
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+)[.\d]* (?:Mobile\/\w+ )?Safari/],
]

const systems: [name: string, pattern: RegExp][] = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
]

/**
 * Returns the browser and, if known, the operating system in a user agent string, such as `Firefox 140 on Linux`. If
 * the browser is unknown, returns the first 60 characters of the string. Without a string, returns `Unknown program`.
 */
export function describeAgent(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown program'
  const browser = browsers.find(([, pattern]) => pattern.test(agent))
  if (browser === undefined) return agent.slice(0, 60)
  const [name, pattern] = browser
  const system = systems.find(([, candidate]) => candidate.test(agent))?.[0]
  return `${name} ${pattern.exec(agent)?.[1]}${system === undefined ? '' : ` on ${system}`}`
}
