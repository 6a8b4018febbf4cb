/** Tells whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|::1)$/.test(host)
}
