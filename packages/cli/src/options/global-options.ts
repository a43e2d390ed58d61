import { Option } from 'commander'

export const jsonOption = (): Option => new Option('--json', 'print results and errors as JSON')

export const clientOptions = (): Option[] => [
  new Option(
    '--credentials <file>',
    'INI file with the server URL and the access key (default: MUSTER_CREDENTIALS, else $MUSTER_DATA/credentials if it can be read, else ~/.muster/credentials)',
  ),
  new Option('--profile <name>', 'section of the credentials file (default: MUSTER_PROFILE, else "default")'),
]

export const globalOptions = (): Option[] => [jsonOption(), ...clientOptions()]
