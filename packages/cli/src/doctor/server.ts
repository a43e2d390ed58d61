import { type Fetched, fetchText } from '../server/fetch-text.ts'
import { type Finding, failed, ok, warning } from './check.ts'

const CLOCK_REJECTED_S = 300
const CLOCK_WARNING_S = 60

export async function* checkServer(url: string): AsyncGenerator<Finding> {
  const asked = Date.now()
  let response: Fetched
  try {
    response = await fetchText(url, '/healthz')
  } catch (error) {
    yield failed(
      'reachability',
      (error as Error).message,
      'Is the server running, and is MUSTER_URL correct? A proxy or firewall may be blocking the connection.',
    )
    return
  }
  const took = Date.now() - asked
  if (response.status === 200) yield ok('reachability', `${url} responds in ${took} ms`)
  else
    yield failed(
      'reachability',
      `${url} responds with status ${response.status} at /healthz`,
      'Check MUSTER_URL. Another program, such as a proxy, may be responding at this URL.',
    )
  yield checkClock(response.headers.get('date'), asked + took / 2)
  if (response.status === 200) yield await checkReadiness(url)
}

/** Compares this machine's clock with the Date header, which is rounded down to seconds. */
function checkClock(date: string | null, now: number): Finding {
  const serverTime = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(serverTime)) {
    const hint = `Make sure that the clocks of this machine and of the server differ by at most ${CLOCK_REJECTED_S} s. A proxy may have removed or changed the header.`
    return warning('clock', 'the response has no valid Date header, so the clocks cannot be compared', hint)
  }
  const off = Math.round((now - serverTime - 500) / 1_000)
  const difference =
    Math.abs(off) <= 1 ? 'in sync with the server' : `${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the server`
  const hint = `Synchronize the clocks of this machine and of the server, preferably with NTP. The server allows a difference of at most ${CLOCK_REJECTED_S} s.`
  if (Math.abs(off) > CLOCK_REJECTED_S) return failed('clock', `this machine's clock is ${difference}`, hint)
  if (Math.abs(off) >= CLOCK_WARNING_S) return warning('clock', `this machine's clock is ${difference}`, hint)
  return ok('clock', `this machine's clock is ${difference}`)
}

async function checkReadiness(url: string): Promise<Finding> {
  try {
    const { status, text } = await fetchText(url, '/readyz')
    if (status === 200) return ok('database', "the server's database responds")
    return failed(
      'database',
      reasonIn(text) ?? `/readyz responds with status ${status}`,
      'Check the server log and the database (DATABASE_URL or, without it, the embedded database in MUSTER_DATA).',
    )
  } catch (error) {
    return failed('database', (error as Error).message, 'Check the server log.')
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
