/** A service that the agent reports whether or not it is listening. */
export interface ExpectedService {
  name: string
  /** ID of the application type. */
  application: number
  port: number
  protocol: 'tcp' | 'udp'
}

/** Controls which services the agent detects and reports. */
export interface ServiceSettings {
  /** Milliseconds between scans. */
  every: number
  /** Whether to report detected services of known types. */
  found: boolean
  /** Whether to report services that only this machine can reach. */
  loopback: boolean
  /** Ports that the agent does not report. */
  ignored: ReadonlySet<number>
  /** Milliseconds after which the agent removes a stopped service from the device. */
  forgottenAfter: number
  expected: readonly ExpectedService[]
}
