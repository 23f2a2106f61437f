import { isCertificateFault, isTlsFault } from '../../../shared/tls-fault.ts'
import { AnswerError, ClientError, NetworkError, reasonOf } from '../errors.ts'

/** Turns what undici, TLS or the system threw into a typed error. */
export function clientErrorOf(origin: string, fault: unknown, method: string): ClientError {
  if (fault instanceof ClientError) return fault
  const code = codeOf(fault)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new AnswerError(`The answer of ${origin} has too many headers`, 'Check what runs at the URL', fault)
  }
  if (/^(?:HPE_|Z_|ERR__ERROR)/.test(code) || Object(fault).name === 'HTTPParserError') {
    return new AnswerError(
      `The answer of ${origin} cannot be read (${reasonOf(fault)})`,
      'Check what runs at the URL',
      fault,
    )
  }
  const [message, hint] = sentences({ origin, code, method }, fault)
  return new NetworkError(message, hint, { cause: fault, isTransient: !isTlsFault(code) })
}

interface FailedRequest {
  readonly origin: string
  readonly code: string
  readonly method: string
}

function sentences({ origin, code, method }: FailedRequest, fault: unknown): readonly [message: string, hint: string] {
  if (isCertificateFault(code)) {
    return [
      `The certificate of ${origin} is not trusted (${code})`,
      'For a private authority set NODE_EXTRA_CA_CERTS to its certificate',
    ]
  }
  if (isTlsFault(code)) {
    return [`${origin} does not speak https (${code})`, 'Check the URL and its port']
  }
  const ended = [
    `${origin} ended the connection before it answered`,
    method === 'GET' ? retryHint : uncertainHint,
  ] as const
  const known: Readonly<Record<string, readonly [string, string]>> = {
    ECONNREFUSED: [
      `Nothing listens at ${origin}`,
      'Name the service with --url or POSTERN_URL, or start one here: postern serve',
    ],
    ENOTFOUND: [`The host of ${origin} is not known`, 'Check the URL and your DNS'],
    EAI_AGAIN: [`The host of ${origin} cannot be looked up now`, 'Check the network'],
    UND_ERR_CONNECT_TIMEOUT: [`${origin} cannot be reached`, 'Check the network, the URL and HTTPS_PROXY'],
    UND_ERR_SOCKET: ended,
    ECONNRESET: ended,
    EPIPE: ended,
  }
  return known[code] ?? [`Cannot ask ${origin} (${reasonOf(fault)})`, 'Check the network, the URL and HTTPS_PROXY']
}

const retryHint = 'Try again. If it happens again, see the log of the service or of the proxy in front of it'
const uncertainHint = 'The change may or may not have been made: check before you repeat it'

// When several addresses failed, Node gives the error of them all the code of the first.
function codeOf(fault: unknown): string {
  const { code, cause } = Object(fault)
  if (typeof code === 'string') return code
  return cause === undefined ? '' : codeOf(cause)
}
