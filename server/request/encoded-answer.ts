declare const wire: unique symbol

/** An answer that the output schema of its call encoded before: its form on the wire, made text once. */
export class EncodedAnswer<Wire> {
  declare readonly [wire]: Wire
  readonly json: string

  constructor(value: Wire) {
    this.json = JSON.stringify(value)
  }
}
