import type { Command } from 'commander'
import { readCredentials } from '../credentials/credentials.ts'
import { type Finding, failed, ok } from '../doctor/check.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { describe } from '../errors/failure.ts'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { printJson, say } from '../output/print-result.ts'
import { printed } from '../terminal/color.ts'

export function buildCommand(): Command {
  return newClientCommand('doctor')
    .description(`Check the credentials, the connection to the server, the difference between the server's clock and
this machine's clock, the server's database, and whether the server accepts a signed request. For a server on this
machine, the command also checks the data folder, master key, archive, and backups. It explains how to fix each problem,
and exits with code 1 if a check fails.`)
    .action(run)
}

async function run(options: ClientOptions): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of checks(options)) {
    findings.push(finding)
    if (!options.json) await printFinding(finding)
  }
  const isOk = findings.every(({ result }) => result !== 'failed')
  if (options.json) await printJson({ ok: isOk, checks: findings })
  if (!isOk) process.exitCode = exitCodes.failed
}

async function* checks(options: ClientOptions): AsyncGenerator<Finding> {
  const [{ checkServer }, { checkSignature }, { checkCredentialsFile, checkDataFolder }, { openMuster }] =
    await Promise.all([
      import('../doctor/server.ts'),
      import('../doctor/signature.ts'),
      import('../doctor/this-machine.ts'),
      import('../server/open-muster.ts'),
    ])
  yield ok('node', `${process.version} at ${process.execPath}`)
  let credentials: Awaited<ReturnType<typeof readCredentials>>
  let muster: Awaited<ReturnType<typeof openMuster>>
  try {
    credentials = await readCredentials(options)
    muster = await openMuster(options, 0)
  } catch (error) {
    const { message, hint = 'Save credentials with "muster configure".' } = describe(error)
    yield failed('credentials', message, hint)
    return
  }
  const { url, keyId, file, profile } = credentials
  if (file === undefined) yield ok('credentials', 'from the environment')
  else yield await checkCredentialsFile(file)
  yield ok('profile', `${profile}: ${keyId} at ${url}`)
  let isReachable = true
  for await (const finding of checkServer(url)) {
    if (finding.check === 'reachability') isReachable = finding.result === 'ok'
    yield finding
  }
  if (isReachable) yield* checkSignature(muster, keyId)
  yield* checkDataFolder(url)
}

const marks = { ok: printed.green('ok'), warning: printed.yellow('warning'), failed: printed.red('failed') } as const
const WIDTH = 'warning'.length

async function printFinding({ check, result, message, hint }: Finding): Promise<void> {
  await say(`${marks[result]}${' '.repeat(WIDTH - result.length)}  ${check}: ${message}`)
  if (hint !== undefined) await say(`${' '.repeat(WIDTH)}  ${hint}`)
}
