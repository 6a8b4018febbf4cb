import { isJsonObject } from 'millrace'

/** Checks whether two values are the same JSON: objects by their own keys, in any order and with any prototype. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => isSameJson(item, right[index]))
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return left === right
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]))
}
