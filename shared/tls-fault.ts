const certificate =
  /^(?:CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT|INVALID_(?:CA|PURPOSE)$|HOSTNAME_MISMATCH|PATH_LENGTH)/

/** Whether an error has a code of Node or OpenSSL for a certificate that is not accepted. */
export const isCertificateFault = (code: unknown): boolean => certificate.test(String(code))

/** The same, or the other side speaks no TLS, or none that fits. */
export const isTlsFault = (code: unknown): boolean =>
  isCertificateFault(code) || /^(?:ERR_SSL|EPROTO$)/.test(String(code))
