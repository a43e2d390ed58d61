import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Algorithm, VerificationKey } from '../algorithms.ts'

const decoys = new Map<Algorithm, VerificationKey>()

/**
 * Returns a random key for verifying a signature whose key is unknown or unusable. The verification then takes as long
 * as with a valid key.
 */
export function decoyKey(algorithm: Algorithm): VerificationKey {
  let decoy = decoys.get(algorithm)
  if (decoy === undefined) {
    decoy = makeDecoy(algorithm)
    decoys.set(algorithm, decoy)
  }
  return decoy
}

function makeDecoy(algorithm: Algorithm): VerificationKey {
  if (algorithm === 'hmac-sha256') return { algorithm, secret: randomBytes(32) }
  return { algorithm, publicKey: generateKeyPairSync('ed25519').publicKey }
}
