/** What RFC 8628 (3.4) calls the polling for a session. */
export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code'
