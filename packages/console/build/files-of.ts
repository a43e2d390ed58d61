import type { Rollup } from 'vite'

/**
 * Returns the paths of the script for a module, of the scripts that it imports, and of their style sheets. `module` is
 * the end of the module's path. Throws if the build has no separate script for the module.
 */
export function filesOf(bundle: Rollup.OutputBundle, module: string): string[] {
  const files = new Set<string>()
  const add = (name: string): void => {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk' || files.has(`/${name}`)) return
    files.add(`/${name}`)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(`/${style}`)
    for (const imported of chunk.imports) add(imported)
  }
  for (const [name, chunk] of Object.entries(bundle))
    if (chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith(module)) add(name)
  if (files.size === 0) throw new Error(`the build has no script for ${module}: add an input or an import() for it`)
  return [...files]
}
