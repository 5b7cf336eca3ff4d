/** Ports of the mail servers of this process that answer all that they are sent, and end each conversation. */
export const mailServers = new Set<number>();
