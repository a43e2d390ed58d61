import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { npm } from './run.ts'

interface Sbom {
  serialNumber: string
  metadata: { timestamp: string }
}

/** Writes a reproducible software bill of materials: its time and serial number depend only on the release. */
export async function writeSbom(server: string, file: string, time: Date): Promise<void> {
  // With this option, npm accepts peer dependencies that an override changes.
  const peers = '--legacy-peer-deps'
  const text = await npm(server, ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', peers])
  const sbom: Sbom = JSON.parse(text)
  sbom.metadata.timestamp = time.toISOString()
  sbom.serialNumber = ''
  const hash = createHash('sha256').update(JSON.stringify(sbom)).digest('hex')
  // Build a UUID of version 8, whose content the application chooses (RFC 9562 §5.8).
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ]
  sbom.serialNumber = `urn:uuid:${parts.join('-')}`
  await writeFile(file, `${JSON.stringify(sbom, null, 2)}\n`)
}
