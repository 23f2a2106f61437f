import * as z from 'zod'
import { call } from './call.ts'
import { startDevice } from './device.ts'
import { listAccounts } from './social.ts'

const clientId = startDevice.input.shape.client_id

/**
 * Starts linking an account at a provider in another browser, like a device sign-in. There the person types the code,
 * proves to be the user who asked, and continues to the provider.
 */
export const startDeviceLink = call({
  method: 'POST',
  path: '/device/link',
  summary: 'Start linking an account at a provider in a browser',
  access: 'session',
  input: z.object({ client_id: clientId, provider: z.string().max(64) }),
  output: startDevice.output,
  failures: ['DEVICE_CLIENT_UNKNOWN', 'PROVIDER_NOT_FOUND'],
  takesLabel: true,
})

/** Answers only the session that asked. It reports which account was linked, and returns no token. */
export const pollDeviceLink = call({
  method: 'POST',
  path: '/device/link/status',
  summary: 'Ask whether the account was linked',
  access: 'session',
  input: z.object({ client_id: clientId, device_code: z.string() }),
  output: z.object({ linked: listAccounts.output.element }),
  failures: [
    'DEVICE_CODE_UNKNOWN',
    'DEVICE_CLIENT_MISMATCH',
    'DEVICE_POLLED_TOO_SOON',
    'DEVICE_PENDING',
    'DEVICE_CODE_EXPIRED',
    'DEVICE_DENIED',
    'DEVICE_DENIED_BY_PROVIDER',
    'SESSION_NOT_FRESH',
  ],
})
