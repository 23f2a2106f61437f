import { toldFlags } from '../argv/flags.ts'
import { wrap, wrapRows } from '../output/wrap.ts'

export const flagsTopic = (width: number): string =>
  [
    ...wrap(
      'Every command takes these, before its words or behind them. In capitals: the variable that says the same.',
      width,
    ),
    '',
    ...wrapRows(toldFlags(), width),
    '',
    ...wrap(
      'Who said what: postern auth status --explain. To keep some: postern config set, postern profile create',
      width,
    ),
  ].join('\n')
