import type { ServiceInput } from '../services/new-service.ts'

export interface RegistrationCode {
  id: string
  /** The first characters of the code, so that users can recognize the code in lists. */
  prefix: string
  name: string | null
  platform: string | null
  /** The maximum number of new devices that can register with the code. */
  uses: number
  used: number
  created: Date
  expires: Date
}

export interface CodeTemplate {
  name: string | null
  platform: string | null
  services: readonly ServiceInput[]
  attributes: Record<string, unknown>
}

export interface CreatedRegistrationCode {
  /** The server returns the code only on creation. */
  code: string
  registrationCode: RegistrationCode
}
