/** Whether an address can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|::1)$/.test(host)
}
