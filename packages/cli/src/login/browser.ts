import { spawn } from 'node:child_process'

export const canOpenBrowser = (env = process.env): boolean =>
  ['darwin', 'win32'].includes(process.platform) ||
  [env.BROWSER, env.DISPLAY, env.WAYLAND_DISPLAY].some((value) => value !== undefined && value !== '')

/** Opens a URL in the browser. Ignores errors, because the user can open the printed URL instead. */
export function openBrowser(url: string, env = process.env): void {
  const [command, ...args] = commandOf(env)
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

function commandOf({ BROWSER }: NodeJS.ProcessEnv): string[] {
  if (BROWSER) return [BROWSER]
  if (process.platform === 'darwin') return ['open']
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}
