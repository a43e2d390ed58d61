import type { ServiceInput } from '../services/new-service.ts'

/** A registration code without the code itself, as the rest of the server uses it. */
export interface RegistrationCode {
  id: string
  /** The first characters of the code. */
  prefix: string
  name: string | null
  platform: string | null
  /** Maximum number of devices that can register with the code. */
  uses: number
  /** Number of devices that have registered with the code. */
  used: number
  created: Date
  expires: Date
}

/** The data that a code supplies to the devices that register with it. */
export interface CodeTemplate {
  name: string | null
  platform: string | null
  services: readonly ServiceInput[]
  attributes: Record<string, unknown>
}

export interface CreatedRegistrationCode {
  /** The code itself, returned only on creation. */
  code: string
  registrationCode: RegistrationCode
}
