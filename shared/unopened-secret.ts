/** The last error of a webhook whose signing secret the service cannot read, so that it cannot sign with it either. */
export const unopenedSecret = 'No secret in SECRETS decrypts the secret of this webhook: rotate it'
