import type { ClusterSetup } from './cluster-setup.ts'

/** Small enough for a laptop beside other work; what PostgreSQL promises about durability stays on. */
const settings = [
  'cluster_name=postern',
  'max_connections=200',
  'shared_buffers=32MB',
  'max_wal_size=256MB',
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'timezone=UTC',
  'log_timezone=UTC',
  'unix_socket_permissions=0700',
  // No ERROR entries: the service reports those itself, and here they would quote people's addresses.
  'log_min_messages=log',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
]

/** The command line of the server. Settings stand here, not in postgresql.conf, so that an update reaches old data folders. */
export function serverArguments({ cluster, address, settings: more = [] }: ClusterSetup): string[] {
  const loopback = address.password !== undefined
  const where = [
    `listen_addresses=${loopback ? address.host : ''}`,
    `unix_socket_directories=${loopback ? '' : `"${address.host.replaceAll('"', '""')}"`}`,
  ]
  return [
    '-D',
    cluster,
    '-p',
    String(address.port),
    ...[...where, ...settings, ...more].flatMap((setting) => ['-c', setting]),
  ]
}
