import { type Fetched, fetchText } from '../fetch-text.ts'
import { type Finding, failed, ok, warning } from './check.ts'

const CLOCK_REFUSED_S = 300
const CLOCK_WORRYING_S = 60

/** Whether the server is there, what time it is there, and whether its database answers. */
export async function* checkServer(url: string): AsyncGenerator<Finding> {
  const asked = Date.now()
  let answer: Fetched
  try {
    answer = await fetchText(url, '/healthz')
  } catch (error) {
    yield failed(
      'reachability',
      (error as Error).message,
      'Is the server running, and MUSTER_URL right? A proxy or firewall may be in between.',
    )
    return
  }
  const took = Date.now() - asked
  if (answer.status === 200) yield ok('reachability', `${url} answers in ${took} ms`)
  else
    yield failed(
      'reachability',
      `${url} answers ${answer.status} at /healthz`,
      'Check MUSTER_URL: something else may answer there, such as a proxy.',
    )
  yield checkClock(answer.headers.get('date'), asked + took / 2)
  if (answer.status === 200) yield await checkReadiness(url)
}

/** Dates are whole seconds, rounded down. */
function checkClock(date: string | null, now: number): Finding {
  const there = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(there))
    return warning('clock', 'the server does not say what time it is', 'A proxy may take the Date header away.')
  const off = Math.round((now - there - 500) / 1_000)
  const said =
    Math.abs(off) <= 1 ? 'as that of the server' : `${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the server`
  const hint = `Set the clock, best by NTP: signatures that are ${CLOCK_REFUSED_S} s off are refused.`
  if (Math.abs(off) >= CLOCK_REFUSED_S) return failed('clock', `this machine is ${said}`, hint)
  if (Math.abs(off) >= CLOCK_WORRYING_S) return warning('clock', `this machine is ${said}`, hint)
  return ok('clock', `the clock of this machine is ${said}`)
}

async function checkReadiness(url: string): Promise<Finding> {
  try {
    const { status, text } = await fetchText(url, '/readyz')
    if (status === 200) return ok('database', 'the database of the server answers')
    return failed(
      'database',
      reasonIn(text) ?? `/readyz answers ${status}`,
      'Look at the log of the server and at its database (DATABASE_URL).',
    )
  } catch (error) {
    return failed('database', (error as Error).message, 'Look at the log of the server.')
  }
}

function reasonIn(text: string): string | undefined {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown }
    return typeof reason === 'string' ? reason : undefined
  } catch {
    return undefined
  }
}
