import { badRequest, MillraceError } from '../../errors/index.ts'
import { readBody, type ReadBodyOptions } from './read-body.ts'

interface ReadJsonOptions extends ReadBodyOptions {
  readonly maxDepth: number
  /** Whether a request without body and type means an empty object. */
  readonly isOptional?: boolean
}

/** Reads the JSON body of a request, within limits. */
export async function readJson(request: Request, options: ReadJsonOptions): Promise<unknown> {
  const { maxDepth, isOptional = false } = options
  const type = request.headers.get('content-type')
  const isUntyped = isOptional && type === null
  if (!isUntyped && !/^application\/json\s*(;|$)/i.test(type ?? '')) throw notJson()
  const text = await readText(request, options)
  if (isUntyped && text !== '') throw notJson()
  if (isOptional && text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON; send one JSON object.')
  }
  checkShape(value, maxDepth)
  return value
}

/** Requires this type, because pages of other sites can only send it after a preflight. */
function notJson(): MillraceError {
  return new MillraceError(
    'unsupported_media_type',
    'Send the body as JSON, with the header `content-type: application/json`.',
  )
}

async function readText(request: Request, options: ReadBodyOptions): Promise<string> {
  const decode = createDecode()
  const parts: string[] = []
  for await (const chunk of readBody(request, options)) parts.push(decode(chunk))
  return parts.join('') + decode()
}

/** Decodes UTF-8 in chunks; call without a chunk at the end. */
function createDecode(): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw badRequest('The body is not UTF-8; encode it as UTF-8.')
    }
  }
}

/** Rejects deep nesting, which could exhaust the stack, and keys for prototype pollution. */
function checkShape(root: unknown, maxDepth: number): void {
  let level = [root].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) {
      throw badRequest(`The body is nested deeper than ${maxDepth} levels; reduce the nesting.`)
    }
    if (level.some(isTrap)) {
      throw badRequest(
        'The body has a key `__proto__`, or a `constructor` with a `prototype`, which are not allowed; remove it.',
      )
    }
    level = level.flatMap((value) => Object.values(value).filter(isContainer))
  }
}

/** Whether an object has keys that can change the prototype of other objects. */
function isTrap(value: object): boolean {
  if (Object.hasOwn(value, '__proto__')) return true
  if (!Object.hasOwn(value, 'constructor')) return false
  const { constructor } = value as { readonly constructor: unknown }
  return isContainer(constructor) && Object.hasOwn(constructor, 'prototype')
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
