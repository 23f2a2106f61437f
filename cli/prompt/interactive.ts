import type { Flags } from '../argv/flags.ts'
import { isForParser } from '../output/output-form.ts'
import type { Host } from '../process/host.ts'
import { parseSwitch } from '../settings/settings.ts'

/** Why nobody can be asked; undefined if a person sits at the terminal. */
export function whyNotInteractive({ env, stdin, stderr }: Host, flags: Flags): string | undefined {
  const reasons: readonly (readonly [reason: string, applies: boolean])[] = [
    ['--no-input is given', flags.input === false],
    ['POSTERN_NO_INPUT is set', parseSwitch(env['POSTERN_NO_INPUT'] || 'off', 'POSTERN_NO_INPUT')],
    ['CI is set', Boolean(env['CI']) && env['CI'] !== 'false' && env['CI'] !== '0'],
    ['the output is for a program', isForParser(flags)],
    ['stdin is not a terminal', !stdin.isTTY],
    ['stderr is not a terminal', !stderr.isTTY],
  ]
  return reasons.find(([, applies]) => applies)?.[0]
}
