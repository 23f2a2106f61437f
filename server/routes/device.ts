import * as calls from '../../shared/contract/device.ts'
import type { Deps } from '../deps.ts'
import { decideBySession } from '../domain/device/decide.ts'
import { pollDeviceSignIn } from '../domain/device/poll.ts'
import { startDeviceSignIn } from '../domain/device/start.ts'
import { viewDevice } from '../domain/device/view.ts'
import type { Mount } from '../http/mount.ts'

export const deviceRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    startDevice: ({ client, input }) => startDeviceSignIn(deps, client, input),
    pollDevice: ({ client, input }) => pollDeviceSignIn(deps, client, input),
    viewDevice: ({ caller, client, input }) => viewDevice(deps, client, caller, input),
    approveDevice: ({ caller, client, input }) => decideBySession(deps, client, caller, [input, 'approved']),
    denyDevice: ({ caller, client, input }) => decideBySession(deps, client, caller, [input, 'denied']),
  })
