import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { keyList, keyView } from '../../flows/key/keys.ts'
import { rotateKey } from '../../flows/key/new-key.ts'
import { adoptKey, revokeKey } from '../../flows/key/revoke.ts'
import { adoptTrust, deleteTrust, trustList } from '../../flows/trust/trusts.ts'
import { flowCommand } from '../flow-command.ts'
import { listCommand, viewCommand } from '../look-command.ts'
import { keyCreateCommand } from './create.ts'
import { trustCreateCommand } from './trust-create.ts'

export const keyCommand = (context: Context): Command =>
  noun('key', { summary: 'Keys by which machines sign in', plural: 'keys' }, [
    listCommand(context, keyList),
    keyCreateCommand(context),
    viewCommand(context, keyView),
    flowCommand(context, rotateKey),
    flowCommand(context, adoptKey),
    flowCommand(context, revokeKey),
    noun('trust', { summary: 'CI jobs that sign in without a secret', plural: 'trusts' }, [
      listCommand(context, trustList),
      trustCreateCommand(context),
      flowCommand(context, adoptTrust),
      flowCommand(context, deleteTrust),
    ]),
  ])
