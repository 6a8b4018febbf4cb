import { Writable } from 'node:stream'
import type { Command } from 'ioredis'
import { loadDriver } from './connect.ts'

/** An argument of a command. */
export type Argument = string | number | Buffer

/** The start of a command without its last arguments, encoded once for repeated sends. */
export interface CommandStart {
  readonly name: string
  readonly args: readonly Argument[]
  readonly bytes: Buffer
}

/** Encodes the first arguments of a command. */
export function encodeStart(name: string, args: readonly Argument[]): CommandStart {
  return { name, args, bytes: encodeArguments([name, ...args]) }
}

/** Encodes a command from its encoded start and its last arguments. */
export function encodeCommand(
  { args: first, bytes }: CommandStart,
  last: readonly Argument[],
): Buffer {
  const count = Buffer.from(`*${1 + first.length + last.length}\r\n`)
  return encodeArguments(last, [count, bytes])
}

/** Encodes arguments after bytes that are already encoded, in one allocation. */
function encodeArguments(args: readonly Argument[], before: readonly Buffer[] = []): Buffer {
  const pieces: (string | Buffer)[] = [...before]
  let size = 0
  for (const { length } of before) size += length
  let text = ''
  for (const arg of args) {
    if (typeof arg === 'object') {
      text += `$${arg.length}\r\n`
      pieces.push(text, arg)
      size += Buffer.byteLength(text) + arg.length
      text = '\r\n'
    } else {
      const word = String(arg)
      text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`
    }
  }
  pieces.push(text)
  const bytes = Buffer.allocUnsafe(size + Buffer.byteLength(text))
  let at = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at)
    else at += piece.copy(bytes, at)
  }
  return bytes
}

type CreateWireCommand = (start: CommandStart, bytes: Buffer) => Command

let create: CreateWireCommand | undefined

/**
 * Creates a command from encoded bytes. All commands of one turn of the event loop are sent to a socket in one write, for every node of a
 * cluster: separate writes took a sixth of the CPU of a busy server.
 */
export function createWireCommand(start: CommandStart, bytes: Buffer): Command {
  create ??= defineWireCommand()
  return create(start, bytes)
}

/** Defines the command class at the first use of the driver. */
function defineWireCommand(): CreateWireCommand {
  const { Command: DriverCommand } = loadDriver()
  class WireCommand extends DriverCommand {
    readonly #bytes: Buffer

    /** A cluster needs only the arguments of the start to find the slot. */
    constructor({ name, args }: CommandStart, bytes: Buffer) {
      super(name, [...args], { replyEncoding: null })
      this.#bytes = bytes
    }

    override toWritable(socket: object): Buffer {
      if (socket instanceof Writable) writeAtOnce(socket)
      return this.#bytes
    }
  }
  return (start, bytes) => new WireCommand(start, bytes)
}

const held = new WeakSet<Writable>()

/** Delays writes to a socket until the end of the turn. */
function writeAtOnce(socket: Writable): void {
  if (held.has(socket)) return
  held.add(socket)
  socket.cork()
  setImmediate(() => {
    held.delete(socket)
    socket.uncork()
  })
}
