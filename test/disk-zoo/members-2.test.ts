import { testMembers } from "./test-members.ts";

testMembers(1, 2);
