import type { ServiceInput } from '../services/new-service.ts'

/** A registration code as the rest of the server sees it: everything but the code itself. */
export interface RegistrationCode {
  id: string
  /** First characters of the code. */
  prefix: string
  name: string | null
  platform: string | null
  /** Devices that it may register. */
  uses: number
  /** Devices that it has registered. */
  used: number
  created: Date
  expires: Date
}

/** What the devices get that a code registers. */
export interface CodeTemplate {
  name: string | null
  platform: string | null
  services: readonly ServiceInput[]
  attributes: Record<string, unknown>
}

export interface CreatedRegistrationCode {
  /** In this answer and never again. */
  code: string
  registrationCode: RegistrationCode
}
