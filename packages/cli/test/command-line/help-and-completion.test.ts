import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { launcherPath } from '../../../server/test/harness/bundled-programs.ts'
import { allCommands } from '../../src/commands/all-commands.ts'
import { buildWholeProgram } from '../../src/program.ts'
import { addDevices, createCliUser } from '../harness/cli-user.ts'
import { launcher, muster } from '../harness/muster.ts'

const app = sharedTestApp()

describe('help and usage errors', () => {
  it('registers every command with its name and summary', async () => {
    const program = await buildWholeProgram()
    const entries = allCommands.flatMap((entry) => [entry, ...(entry.verbs ?? [])])
    const commands = program.commands.flatMap((one) =>
      allCommands.find(({ name }) => name === one.name())?.verbs ? [one, ...one.commands] : [one],
    )
    expect(commands.map((one) => [one.name(), one.summary()])).toEqual(
      entries.map(({ name, summary }) => [name, summary]),
    )
  })

  it('lists every command in the general help, and the exit codes in the help of a command', async () => {
    const { stdout } = await muster(['--help'])
    for (const { name } of allCommands) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect((await muster(['devices', 'list', '--help'])).stdout).toMatch(/130 +interrupted/)
  })

  it('shows the default of every duration with its unit', async () => {
    const program = await buildWholeProgram()
    const options = program.commands.flatMap((one) => [one, ...one.commands]).flatMap(({ options }) => options)
    const durations = options.filter(
      ({ flags, defaultValue }) => flags.endsWith(' <time>') && defaultValue !== undefined,
    )
    expect(durations.map(({ long }) => long)).toEqual(expect.arrayContaining(['--overlap', '--for', '--every']))
    const { stdout } = await muster(['simulate', '--help'])
    for (const text of ['(default: 1m)', '(default: 10s)', '(default: 30s)'])
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(text)
    expect((await muster(['webhooks', 'rotate', '--help'])).stdout.replaceAll(/\s+/g, ' ')).toContain('(default: 1d)')
    for (const { defaultValueDescription } of durations) expect(defaultValueDescription).toMatch(/^\d+[smhd]$/)
  })

  it('suggests the closest command, and prints usage errors as JSON with --json', async () => {
    expect(await muster(['devcies'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean devices'),
    })
    const wrong = await muster(['devices', 'list', '--limit', '0', '--json'])
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(wrong.stderr)).toMatchObject({
      error: { code: 'USAGE', message: expect.stringContaining('at least 1') },
    })
  })
})

describe('color output', () => {
  it('is omitted in a pipe unless FORCE_COLOR is set', async () => {
    const { user, start } = await createCliUser(app)
    await addDevices(user, ['gate'])
    expect((await start(['devices', 'list']).done).stdout).not.toContain('\u001b')
    expect((await start(['devices', 'list'], { env: { FORCE_COLOR: '1' } }).done).stdout).toContain('\u001b[1m')
  })
})

const longTimeout = { MUSTER_COMPLETION_TIMEOUT: '60000' }

describe('completion', () => {
  it('completes commands, options, profiles, and devices', async () => {
    const { user, start } = await createCliUser(app)
    await addDevices(user, ['gate 1', 'gate-2', 'door'])
    const run = (...args: string[]) => start(args, { env: longTimeout }).done
    const complete = async (...words: string[]) =>
      (await run('__complete', 'bash', ...words)).stdout.split('\n').slice(0, -1)
    expect(await complete('dev')).toEqual(['devices'])
    expect(await complete('devices', 'r')).toEqual(['register', 'rename'])
    expect(await complete('devices', 'list', '--co')).toEqual(['--columns', '--context'])
    expect(await complete('devices', 'list', '--profile', '')).toEqual(['default'])
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await complete('devices', 'get', 'gate')).toEqual(['gate 1', 'gate-2'])
    expect(await complete('devices', 'get', '--credentials', '')).toEqual([])
    expect((await run('__complete', 'zsh', 'dev')).stdout).toMatch(/^devices:list/)
    expect((await run('__complete', 'fish', 'dev')).stdout).toMatch(/^devices\tlist/)
  })

  it('completes words in bash', async () => {
    const { user, env, write } = await createCliUser(app)
    await addDevices(user, ['gate 1'])
    const script = await write('completion', (await muster(['completion', 'bash'])).stdout)
    const typed = async (...words: string[]): Promise<string> => {
      const program = `source ${script}
        muster() { ${process.execPath} ${launcherPath()} "$@"; }
        COMP_WORDS=(muster ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
        _muster; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p muster`
      // Run bash asynchronously, because this process also runs the server that provides the names.
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-eu', '-c', program], {
        env: { ...env, ...longTimeout, PATH: process.env.PATH },
      })
      return stdout
    }
    expect(await typed('devices', 're')).toBe('register\nrename\ncomplete -o default -F _muster muster\n')
    expect(await typed('devices', 'get', 'gate')).toContain('gate\\ 1\n')
    expect(await typed('devices', 'get', 'gate\\ ')).toContain('gate\\ 1\n')
  })

  it('completes words in bash in any folder, through an alias with a relative path', async () => {
    const { env, home } = await createCliUser(app)
    await mkdir(join(home, 'node_modules/.bin'), { recursive: true })
    await symlink(launcher, join(home, 'node_modules/.bin/muster'))
    const program = `shopt -s expand_aliases
      alias muster=node_modules/.bin/muster
      source <(muster completion bash)
      cd /
      COMP_WORDS=(muster devices re); COMP_CWORD=2
      _muster; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-eu', '-c', program], {
      cwd: home,
      env: { ...env, PATH: process.env.PATH },
    })
    expect(stdout).toBe('register\nrename\n')
  })

  const shells = ['zsh', 'fish'].filter((shell) => spawnSync(shell, ['--version']).status === 0)
  it(`completes words in ${shells.join(' and ') || 'no other shell, because zsh and fish are not installed'}`, async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await muster(['completion', shell])
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`' __complete ${shell}`) })
      if (shells.includes(shell)) execFileSync(shell, ['-n', '-c', stdout])
    }
    const program = `function muster; ${process.execPath} ${launcher} $argv; end
      muster completion fish | source; complete -C 'muster devices re'`
    if (shells.includes('fish'))
      expect(execFileSync('fish', ['-c', program]).toString()).toMatch(/^register\t.+\nrename\t/)
    // Call the completion function directly, because the test has no terminal.
    const widget = `compdef() {}; _describe() { print -rl -- \${(P)2} }
      muster() { ${process.execPath} ${launcher} "$@" }; source <(muster completion zsh)
      words=(muster "'devices'" re) CURRENT=3; _muster`
    if (shells.includes('zsh'))
      expect(execFileSync('zsh', ['-f', '-c', widget]).toString()).toMatch(/^register:.+\nrename:/)
    expect(await muster(['completion', 'tcsh'])).toMatchObject({ code: 2, stderr: expect.stringContaining('zsh') })
  })
})

describe('doctor', () => {
  it('finds no problems in a correct setup', async () => {
    const { env, lines } = await createCliUser(app)
    chmodSync(env.MUSTER_CREDENTIALS!, 0o600)
    const [{ ok, checks }] = await lines('doctor')
    expect(ok).toBe(true)
    const names = checks.map(({ check }: { check: string }) => check)
    expect(names).toEqual(['node', 'credentials', 'profile', 'reachability', 'clock', 'database', 'signature'])
  })

  it('explains how to fix the problems that it finds', async () => {
    const { env, run, write, user } = await createCliUser(app)
    chmodSync(env.MUSTER_CREDENTIALS!, 0o644)
    const open = await run('doctor')
    expect(open).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^warning {2}credentials: .*\n +Run: chmod 600/m),
    })
    const section = (url: string, secret: string) =>
      `[default]\nMUSTER_URL=${url}\nMUSTER_ACCESS_KEY_ID=${user.keyId}\nMUSTER_SECRET_ACCESS_KEY=${secret}\n`
    const forged = await run('doctor', '--credentials', await write('forged', section(app.url, 'd3Jvbmc=')))
    expect(forged).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^failed {3}signature: .*\(bad-signature\)\n +The access key probably does not exist/m,
      ),
    })
    const away = await run('doctor', '--credentials', await write('away', section('http://127.0.0.1:1', user.secret)))
    expect(away).toMatchObject({ code: 1, stdout: expect.stringMatching(/^failed {3}reachability: cannot reach/m) })
    const none = await run('doctor', '--credentials', join(env.HOME!, 'nowhere'))
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining('muster configure') })
  })
})

describe('schema and query', () => {
  it('prints the SDL, validates documents, and reads variables', async () => {
    const { run, write } = await createCliUser(app)
    expect(await muster(['schema', '--url', app.url])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('type Device {'),
    })
    expect(await muster(['schema', '--url', 'http://127.0.0.1:1'])).toMatchObject({ code: 6 })
    expect(await run('query', '--check', '{ login { email } }')).toMatchObject({ code: 0 })
    const wrong = await run('query', '--check', '{\n  login { emial } }')
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringMatching(/^2:11: Cannot query field "emial"/) })
    const document = 'query ($name: String, $size: Int) { login { devices(name: $name, size: $size) { total } } }'
    const variables = await write('variables.json', '{"name": "x", "size": 0}')
    const args = ['--variables', `@${variables}`, '--variable', 'size=1', '--variable', 'name=gate']
    expect((await run('query', document, ...args)).stdout).toBe('{"data":{"login":{"devices":{"total":0}}}}\n')
    expect(await run('query', document, '--variables', `@${variables}`)).toMatchObject({ code: 1 })
    expect(await run('query', '--file', 'nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere'),
    })
  })

  it('reports that a failed mutation made its change', async () => {
    const { user, run } = await createCliUser(app)
    const [id] = await addDevices(user, ['gate'])
    const mutation = `mutation { updateDevice(deviceId: "${id}", name: "door") { events(size: 0) { total } } }`
    const failed = await run('query', mutation)
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('The change was made') })
    const { stdout } = await run('devices', 'list', '--columns', 'name')
    expect(stdout).toBe('name\ndoor\n')
  })
})
