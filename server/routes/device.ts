import * as calls from '../../shared/contract/device.ts'
import * as linkCalls from '../../shared/contract/device-link.ts'
import type { Deps } from '../deps.ts'
import { decideBySession } from '../domain/device/decide.ts'
import { pollDeviceSignIn } from '../domain/device/poll.ts'
import { pollDeviceLink } from '../domain/device/poll-link.ts'
import { startDeviceSignIn } from '../domain/device/start.ts'
import { startDeviceLink } from '../domain/device/start-link.ts'
import { viewDevice } from '../domain/device/view.ts'
import type { Mount } from '../http/mount.ts'

export const deviceRoutes = (mount: Mount, deps: Deps) => {
  mount(calls, {
    startDevice: ({ client, input }) => startDeviceSignIn(deps, client, input),
    pollDevice: ({ client, input }) => pollDeviceSignIn(deps, client, input),
    viewDevice: ({ caller, client, input }) => viewDevice(deps, client, caller, input),
    approveDevice: ({ caller, client, input }) => decideBySession(deps, client, caller, [input, 'approved']),
    denyDevice: ({ caller, client, input }) => decideBySession(deps, client, caller, [input, 'denied']),
  })
  mount(linkCalls, {
    startDeviceLink: ({ caller, client, input }) => startDeviceLink(deps, client, caller, input),
    pollDeviceLink: ({ caller, input }) => pollDeviceLink(deps, caller, input),
  })
}
