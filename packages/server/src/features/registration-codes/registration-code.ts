import type { ServiceInput } from '../services/new-service.ts'

/** A registration code as used by the rest of the server: all fields except the code itself. */
export interface RegistrationCode {
  id: string
  /** First characters of the code. */
  prefix: string
  name: string | null
  platform: string | null
  /** Number of devices that it can register. */
  uses: number
  /** Number of devices that it has registered. */
  used: number
  created: Date
  expires: Date
}

/** The data of devices that register with the code. */
export interface CodeTemplate {
  name: string | null
  platform: string | null
  services: readonly ServiceInput[]
  attributes: Record<string, unknown>
}

export interface CreatedRegistrationCode {
  /** Returned only on creation. */
  code: string
  registrationCode: RegistrationCode
}
