import { rename } from 'node:fs/promises'

/** Renames the folder of the database that a restore replaces, and returns the folder's new path. */
export async function moveClusterAside(clusterFolder: string): Promise<string> {
  const aside = `${clusterFolder}-until-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  await rename(clusterFolder, aside)
  return aside
}
