export interface ExpectedService {
  name: string
  application: number
  port: number
  protocol: 'tcp' | 'udp'
}

export interface ServiceSettings {
  every: number
  found: boolean
  loopback: boolean
  ignored: ReadonlySet<number>
  forgottenAfter: number
  expected: readonly ExpectedService[]
}
