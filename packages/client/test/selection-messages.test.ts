import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createProject, root, strictSettings } from './project.ts'

it('makes the compiler explain errors in selections', async () => {
  const project = await createProject({ linked: true })
  await project.write('tsconfig.json', strictSettings(['es2024', 'esnext'], ['node']))
  const mistakes = [
    ['{ login: { emial: true } }', 'User has no field \\"emial\\"'],
    ["{ 'me: logn': { email: true } }", 'Query has no field \\"logn\\"'],
    ['{ login: { devices: {} } }', 'select at least one field of DeviceList'],
    ['{ login: { devices: { $: { sise: 1 }, total: true } } }', "'sise' does not exist"],
  ] as const
  for (const [number, [selection]] of mistakes.entries()) {
    const text = `import type { Muster } from '@muster/client'\ndeclare const muster: Muster\nawait muster.select(${selection})\nexport {}\n`
    await project.write(`mistake-${number}.ts`, text)
  }
  const ran = await project.run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--skipLibCheck'])
  expect(ran.code).not.toBe(0)
  for (const [number, [, message]] of mistakes.entries()) {
    const found = ran.stdout
      .split('\n')
      .filter((line) => line.startsWith(`mistake-${number}.ts`) || line.startsWith(' '))
    expect(found.join('\n')).toContain(`mistake-${number}.ts(3,`)
    expect(found.join('\n')).toContain(message)
  }
  await project.remove()
})
