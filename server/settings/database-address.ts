import { loginAddress } from './fields.ts'

const hostsOf = (address: string): string => {
  const url = URL.canParse(address) ? new URL(address) : null
  return url?.searchParams.get('host') ?? url?.hostname ?? ''
}

const beforeQuery = 'it belongs before the question mark, as in postgres://user:password@host:port/name'
const noClientCertificates = 'certificates of clients are not supported'
/** Parameters of libpq and of other drivers that ours would misunderstand, and what to do instead. */
const unsupported: Readonly<Record<string, string>> = {
  port: beforeQuery,
  password: beforeQuery,
  dbname: beforeQuery,
  ssl: 'sslmode says whether to use TLS, as in sslmode=verify-full',
  channel_binding: 'sslmode=verify-full proves that it is the right server',
  sslrootcert: 'NODE_EXTRA_CA_CERTS names the file of the authority',
  sslcert: noClientCertificates,
  sslkey: noClientCertificates,
}
const unsupportedIn = (address: unknown): string | undefined =>
  [...new URL(String(address)).searchParams.keys()].find((name) => Object.hasOwn(unsupported, name))
const explainUnsupported = (name = ''): string => `no ${name}: ${unsupported[name]}`

/** The driver would take any other word for verify-full. */
const sslModes: readonly string[] = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
const hasSslMode = (text: string): boolean =>
  new URL(text).searchParams.getAll('sslmode').every((mode) => sslModes.includes(mode))

/** Of PostgreSQL. The driver connects to one host, and would wait for ever for the others. */
export const databaseAddress = loginAddress(/^postgres(ql)?$/, 'a postgres:// address')
  .refine((text) => !hostsOf(text).includes(','), 'one host: the server that accepts writes, or one replica')
  .refine((text) => unsupportedIn(text) === undefined, {
    error: ({ input }) => explainUnsupported(unsupportedIn(input)),
  })
  .refine(hasSslMode, `sslmode to be one of ${sslModes.join(', ')}`)
