import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { adoptKey } from '../../flows/key/adopt.ts'
import { keyList, keyView } from '../../flows/key/keys.ts'
import { revokeKey } from '../../flows/key/revoke.ts'
import { rotateKey } from '../../flows/key/rotate.ts'
import { adoptTrust } from '../../flows/trust/adopt.ts'
import { deleteTrust } from '../../flows/trust/delete.ts'
import { trustList } from '../../flows/trust/trusts.ts'
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
