export interface ApplicationType {
  id: number
  name: string
  description: string
  /** The default port, or null if there is none. */
  port: number | null
  protocol: 'tcp' | 'udp'
}

export const TCP = 1
/** The ID of the type of every device's bulk service. No other service can have this type. */
export const BULK_SERVICE = 35

/** Clients store these IDs, so an ID must never change. A new type needs a new ID. */
const all: readonly ApplicationType[] = [
  { id: TCP, name: 'TCP', description: 'Any service over TCP', port: null, protocol: 'tcp' },
  { id: 2, name: 'UDP', description: 'Any service over UDP', port: null, protocol: 'udp' },
  { id: 4, name: 'VNC', description: 'Desktop over Virtual Network Computing', port: 5900, protocol: 'tcp' },
  { id: 5, name: 'RDP', description: 'Desktop over Remote Desktop Protocol', port: 3389, protocol: 'tcp' },
  { id: 7, name: 'HTTP', description: 'Web server', port: 80, protocol: 'tcp' },
  { id: 8, name: 'HTTPS', description: 'Web server over TLS', port: 443, protocol: 'tcp' },
  { id: 28, name: 'SSH', description: 'Secure Shell', port: 22, protocol: 'tcp' },
  { id: 34, name: 'SMB', description: 'Files over Server Message Block', port: 445, protocol: 'tcp' },
  { id: BULK_SERVICE, name: 'Bulk Service', description: 'The device itself', port: null, protocol: 'tcp' },
  { id: 40, name: 'Telnet', description: 'Terminal without encryption', port: 23, protocol: 'tcp' },
  { id: 41, name: 'FTP', description: 'File Transfer Protocol', port: 21, protocol: 'tcp' },
  { id: 42, name: 'NFS', description: 'Network File System', port: 2049, protocol: 'tcp' },
  { id: 43, name: 'rsync', description: 'File synchronization', port: 873, protocol: 'tcp' },
  { id: 44, name: 'DNS', description: 'Domain Name System', port: 53, protocol: 'udp' },
  { id: 45, name: 'NTP', description: 'Network Time Protocol', port: 123, protocol: 'udp' },
  { id: 46, name: 'SNMP', description: 'Simple Network Management Protocol', port: 161, protocol: 'udp' },
  { id: 47, name: 'Syslog', description: 'System log messages', port: 514, protocol: 'udp' },
  { id: 48, name: 'LDAP', description: 'Directory', port: 389, protocol: 'tcp' },
  { id: 49, name: 'SMTP', description: 'Mail transport', port: 25, protocol: 'tcp' },
  { id: 50, name: 'IPP', description: 'Internet Printing Protocol', port: 631, protocol: 'tcp' },
  { id: 51, name: 'PostgreSQL', description: 'PostgreSQL database', port: 5432, protocol: 'tcp' },
  { id: 52, name: 'MySQL', description: 'MySQL or MariaDB database', port: 3306, protocol: 'tcp' },
  { id: 53, name: 'SQL Server', description: 'Microsoft SQL Server database', port: 1433, protocol: 'tcp' },
  { id: 54, name: 'MongoDB', description: 'MongoDB database', port: 27017, protocol: 'tcp' },
  { id: 55, name: 'Redis', description: 'Redis or Valkey data store', port: 6379, protocol: 'tcp' },
  { id: 56, name: 'InfluxDB', description: 'InfluxDB time series database', port: 8086, protocol: 'tcp' },
  { id: 60, name: 'MQTT', description: 'Message broker', port: 1883, protocol: 'tcp' },
  { id: 61, name: 'MQTTS', description: 'Message broker over TLS', port: 8883, protocol: 'tcp' },
  { id: 62, name: 'AMQP', description: 'Advanced Message Queuing Protocol', port: 5672, protocol: 'tcp' },
  { id: 63, name: 'CoAP', description: 'Constrained Application Protocol', port: 5683, protocol: 'udp' },
  { id: 70, name: 'Modbus', description: 'Modbus over TCP', port: 502, protocol: 'tcp' },
  { id: 71, name: 'OPC UA', description: 'OPC Unified Architecture', port: 4840, protocol: 'tcp' },
  { id: 72, name: 'S7', description: 'Siemens S7 over ISO-TSAP', port: 102, protocol: 'tcp' },
  { id: 73, name: 'EtherNet/IP', description: 'EtherNet/IP explicit messaging', port: 44818, protocol: 'tcp' },
  { id: 74, name: 'BACnet', description: 'BACnet/IP building automation', port: 47808, protocol: 'udp' },
  { id: 75, name: 'DNP3', description: 'Distributed Network Protocol', port: 20000, protocol: 'tcp' },
  { id: 76, name: 'IEC 104', description: 'IEC 60870-5-104 telecontrol', port: 2404, protocol: 'tcp' },
  { id: 80, name: 'RTSP', description: 'Real Time Streaming Protocol', port: 554, protocol: 'tcp' },
  { id: 81, name: 'SIP', description: 'Session Initiation Protocol', port: 5060, protocol: 'udp' },
  { id: 90, name: 'WireGuard', description: 'WireGuard tunnel', port: 51820, protocol: 'udp' },
  { id: 91, name: 'OpenVPN', description: 'OpenVPN tunnel', port: 1194, protocol: 'udp' },
  { id: 92, name: 'Docker', description: 'Docker Engine API over TLS', port: 2376, protocol: 'tcp' },
  { id: 93, name: 'Kubernetes', description: 'Kubernetes API', port: 6443, protocol: 'tcp' },
  { id: 94, name: 'Prometheus', description: 'Prometheus node exporter', port: 9100, protocol: 'tcp' },
]

const byId: ReadonlyMap<number, ApplicationType> = new Map(all.map((type) => [type.id, type]))

const byPort: ReadonlyMap<number, ApplicationType> = new Map(
  all.flatMap((type) => (type.port === null ? [] : [[type.port, type]])),
)

export const applicationTypes: readonly ApplicationType[] = all.filter(({ id }) => id !== BULK_SERVICE)

/** Returns the type with this ID, or undefined if there is none. Also finds the type of bulk services. */
export const findApplicationType = (id: number): ApplicationType | undefined => byId.get(id)

export const applicationTypeForPort = (port: number): ApplicationType => byPort.get(port) ?? byId.get(TCP)!
