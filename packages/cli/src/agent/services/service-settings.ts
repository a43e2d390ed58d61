export interface ExpectedService {
  name: string
  application: number
  port: number
  protocol: 'tcp' | 'udp'
}

export interface ServiceSettings {
  /** Milliseconds between scans. */
  every: number
  /** Whether to report detected services of known types. */
  found: boolean
  /** Whether to report detected services that only this machine can reach. */
  loopback: boolean
  ignored: ReadonlySet<number>
  /** Milliseconds after which the agent removes a stopped service from the device, unless the service is expected. */
  forgottenAfter: number
  expected: readonly ExpectedService[]
}
