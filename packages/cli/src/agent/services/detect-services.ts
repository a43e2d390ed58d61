import { type ApplicationType, applicationTypes } from '@muster/server/features/services/application-types.ts'
import type { ListeningSocket } from './listening.ts'
import type { ServiceSettings } from './service-settings.ts'

export interface RunningService {
  name: string
  application: number
  port: number
}

/** Service types for nonstandard ports, keyed by the usual name of the server program. */
const typeOfProgram: Readonly<Record<string, string>> = {
  sshd: 'SSH',
  dropbear: 'SSH',
  nginx: 'HTTP',
  apache2: 'HTTP',
  httpd: 'HTTP',
  lighttpd: 'HTTP',
  caddy: 'HTTP',
  postgres: 'PostgreSQL',
  mysqld: 'MySQL',
  mariadbd: 'MySQL',
  'redis-server': 'Redis',
  'valkey-server': 'Redis',
  mongod: 'MongoDB',
  influxd: 'InfluxDB',
  mosquitto: 'MQTT',
  smbd: 'SMB',
  vsftpd: 'FTP',
  proftpd: 'FTP',
  xrdp: 'RDP',
  Xvnc: 'VNC',
  Xtigervnc: 'VNC',
  x11vnc: 'VNC',
  wayvnc: 'VNC',
  cupsd: 'IPP',
  slapd: 'LDAP',
  node_exporter: 'Prometheus',
}

const typeOfPort: Readonly<Record<number, string>> = { 8080: 'HTTP', 8443: 'HTTPS', 5901: 'VNC', 5902: 'VNC' }

/** In Linux's default range of client ports (ip_local_port_range), UDP sockets of clients and servers look the same. */
const EPHEMERAL = { least: 32_768, most: 60_999 }

export function detectServices(
  sockets: readonly ListeningSocket[],
  settings: ServiceSettings,
  programs: ReadonlyMap<string, string>,
): RunningService[] {
  const found = new Map<string, RunningService>()
  for (const socket of sockets) {
    const service =
      expectedAt(socket, settings) ?? (isWanted(socket, settings) ? knownAt(socket, settings, programs) : undefined)
    if (service !== undefined && !found.has(service.name)) found.set(service.name, service)
  }
  return [...found.values()]
}

function expectedAt({ port, protocol }: ListeningSocket, { expected }: ServiceSettings): RunningService | undefined {
  const service = expected.find((each) => each.port === port && each.protocol === protocol)
  return service && { name: service.name, application: service.application, port }
}

function knownAt(
  { port, protocol, inode }: ListeningSocket,
  { expected }: ServiceSettings,
  programs: ReadonlyMap<string, string>,
): RunningService | undefined {
  const program = programs.get(inode)
  const type = typeAt(port, protocol) ?? (program === undefined ? undefined : typeNamed(typeOfProgram[program]))
  if (type === undefined) return undefined
  const name = type.port === port ? type.name.toLowerCase() : `${type.name.toLowerCase()}-${port}`
  // A service's name identifies it, so expected services reserve their names.
  return expected.some((each) => each.name === name) ? undefined : { name, application: type.id, port }
}

function isWanted({ port, protocol, isLoopback }: ListeningSocket, settings: ServiceSettings): boolean {
  if (!settings.found || settings.ignored.has(port) || (isLoopback && !settings.loopback)) return false
  return protocol === 'tcp' || port < EPHEMERAL.least || port > EPHEMERAL.most
}

const typeAt = (port: number, protocol: 'tcp' | 'udp'): ApplicationType | undefined =>
  applicationTypes.find((each) => each.port === port && each.protocol === protocol) ??
  (protocol === 'tcp' ? typeNamed(typeOfPort[port]) : undefined)

/** Returns the inodes of wanted TCP sockets whose ports do not determine the services. */
export const unclearInodes = (sockets: readonly ListeningSocket[], settings: ServiceSettings): string[] =>
  sockets
    .filter((socket) => socket.protocol === 'tcp' && isWanted(socket, settings))
    .filter((socket) => expectedAt(socket, settings) === undefined && typeAt(socket.port, 'tcp') === undefined)
    .map(({ inode }) => inode)

const typeNamed = (name: string | undefined) => applicationTypes.find((each) => each.name === name)
