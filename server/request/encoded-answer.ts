declare const wire: unique symbol

/** An answer that the output schema of its call encoded before: its form on the wire, as JSON. */
export class EncodedAnswer<Wire> {
  declare readonly [wire]: Wire
  readonly json: string

  constructor(json: string) {
    this.json = json
  }

  static of<Wire>(value: Wire): EncodedAnswer<Wire> {
    return new EncodedAnswer(JSON.stringify(value))
  }
}
