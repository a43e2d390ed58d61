/** A service that is reported whether or not it listens. */
export interface ExpectedService {
  name: string
  /** Id of its application type. */
  application: number
  port: number
  protocol: 'tcp' | 'udp'
}

/** Which services the agent detects and reports. */
export interface ServiceSettings {
  /** Milliseconds between two scans. */
  every: number
  /** Whether detected services of known types are reported. */
  found: boolean
  /** Whether services that only this machine can reach are reported. */
  loopback: boolean
  /** Ports that are not reported. */
  ignored: ReadonlySet<number>
  /** Milliseconds after which a stopped service is removed from the device. */
  forgottenAfter: number
  expected: readonly ExpectedService[]
}
