import { createJoiner, decodeEnvelope, type Envelope, traitsOf } from 'millrace'

/** Joins buffered blocks; what is shown as it comes stays in its pieces. */
export function createCollector(onMessage: (message: Envelope) => void): (line: string) => void {
  const joiner = createJoiner()
  return (line) => {
    const message = decodeEnvelope(line)
    const isShownAtOnce = traitsOf(message.type)?.emission === 'incremental'
    const whole = isShownAtOnce ? message : joiner.push(message)
    if (whole !== undefined) onMessage(whole)
  }
}
