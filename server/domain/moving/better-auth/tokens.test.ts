import { symmetricEncrypt } from 'better-auth-1.7/crypto'
import { expect, it } from 'vitest'
import {
  askPeer,
  movePeer,
  peerOrigin,
  peerSecret,
  peerVersions,
  startPeer,
} from '../../../testing/better-auth-peer.ts'
import { createTestService, testPassword } from '../../../testing/service.ts'

it.each(peerVersions)(
  'tokens of providers that better-auth %s encrypted stay there, and that is told',
  async (version) => {
    const [peer, service] = [await startPeer(version), await createTestService({ BASE_URL: peerOrigin })]
    try {
      const body = { email: 'ann@example.com', password: testPassword, name: 'Ann' }
      await askPeer(peer.handler, '/sign-up/email', body)
      const insert = (provider: string, access: string, refresh: string | null) =>
        peer.sql.unsafe(
          `insert into account (id, "accountId", "providerId", "userId", "accessToken", "refreshToken", "idToken", "createdAt", "updatedAt")
       select $1, '42', $1, id, $2, $3, 'eyJ.told.ann', now(), now() from "user"`,
          [provider, access, refresh],
        )
      const bare = await symmetricEncrypt({ key: peerSecret, data: 'token' })
      const keys = new Map([[2, peerSecret]])
      const versioned = await symmetricEncrypt({ key: { keys, currentVersion: 2 }, data: 'token' })
      await insert('github', bare, versioned)
      await insert('google', 'ya29.token', null)
      const { left, summary } = await movePeer(service, peer.from)
      const told = left.map(({ id, reason, detail }) => [id, reason, detail])
      expect([told, summary.altered]).toEqual([[['github', 'ALTERED', 'accessToken, refreshToken']], 1])
      const stored = () => service.deps.sql`
      select provider_id, access_token is null as lost, refresh_token is null as none, id_token is null as untold
      from accounts where provider_id <> 'credential' order by 1
    `
      const rows = [
        { providerId: 'github', lost: true, none: true, untold: false },
        { providerId: 'google', lost: false, none: true, untold: false },
      ]
      expect(await stored()).toEqual(rows)
      // What an earlier version of the import took for a token.
      await service.deps.sql`update accounts set access_token = '\\x00' where provider_id = 'github'`
      await movePeer(service, peer.from, { isUpdating: true })
      expect(await stored()).toEqual(rows)
    } finally {
      await service.stop()
      await peer.stop()
    }
  },
)
