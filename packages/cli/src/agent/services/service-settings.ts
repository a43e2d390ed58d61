/** A service that is the device's whether or not it listens. */
export interface ExpectedService {
  name: string
  /** Id of its application type. */
  application: number
  port: number
  protocol: 'tcp' | 'udp'
}

/** Which services the agent looks for. */
export interface ServiceSettings {
  /** Milliseconds between two looks. */
  every: number
  /** Whether those of known types are reported as they are found. */
  found: boolean
  /** Whether those are that only this machine can reach. */
  loopback: boolean
  /** Ports that are not reported. */
  ignored: ReadonlySet<number>
  /** Milliseconds after which one that is gone is the device's no more. */
  forgottenAfter: number
  expected: readonly ExpectedService[]
}
