/**
 * Why the database cannot be used, for whoever runs the service. The log leaves out where in the code it was noticed: nothing
 * is wrong there.
 */
export class DatabaseOutage extends Error {
  override readonly name = 'DatabaseOutage'
  /** Of PostgreSQL (`53300`), of the system (`ECONNREFUSED`) or of the driver (`QUERY_TIMEOUT`). */
  readonly code: string
  /** What to look at, or to change. */
  readonly check: string | undefined

  constructor(code: string, cause: unknown) {
    const message = messageOf(cause) || code
    super(message, { cause })
    this.code = code
    this.check = /startup parameter/.test(message) ? pooled : checks[code]
  }
}

/** Of several addresses that were tried in vain the errors stand in a list. */
const messageOf = (error: unknown): string => {
  const { message, errors = [] } = Object(error)
  return message || [errors].flat().map(messageOf).join('; ')
}

const pooled = 'behind PgBouncer set DATABASE_PREPARE=off'
const isRunning = 'is PostgreSQL running, at the address of DATABASE_URL?'
const isNamed = 'is the host of DATABASE_URL right?'
const isSlow = 'pg_stat_activity shows what is slow or holds locks; DATABASE_TIMEOUT is how long a statement may take'

const checks: Readonly<Record<string, string>> = {
  '25006': 'DATABASE_URL has to lead to the server that takes writes',
  '28000': 'check the user of DATABASE_URL, and pg_hba.conf of the server',
  '28P01': 'check the user and the password of DATABASE_URL',
  '3D000': 'check the database of DATABASE_URL, or create it',
  '53100': 'the disk of the database is full',
  '53200': 'the server of the database is out of memory',
  '53300': 'raise max_connections of the server, or the limit of the role, or lower DATABASE_POOL of the instances',
  '55P03': isSlow,
  '57014': isSlow,
  '57P03': 'PostgreSQL is starting or stopping',
  CONNECT_TIMEOUT: isRunning,
  EAI_AGAIN: isNamed,
  ECONNREFUSED: isRunning,
  EHOSTUNREACH: isRunning,
  ENETUNREACH: isRunning,
  ENOENT: isRunning,
  ENOTFOUND: isNamed,
  ETIMEDOUT: isRunning,
  QUERY_TIMEOUT: isSlow,
  QUEUE_TIMEOUT: 'all connections are busy: pg_stat_activity shows with what; DATABASE_POOL is how many there are',
}
