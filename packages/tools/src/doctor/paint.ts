const codes = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const

/** Colours for a terminal. */
export type Paint = Readonly<Record<keyof typeof codes, (text: string) => string>>

/** Creates colours; without them texts stay as they are. */
export function createPaint(isColored: boolean): Paint {
  const toPainter =
    (code: number) =>
    (text: string): string =>
      isColored ? `\u001b[${code}m${text}\u001b[0m` : text
  return {
    red: toPainter(codes.red),
    green: toPainter(codes.green),
    yellow: toPainter(codes.yellow),
    bold: toPainter(codes.bold),
    dim: toPainter(codes.dim),
  }
}
